"""What is known about models: records, stacks, rankings. Never imports the UI."""
