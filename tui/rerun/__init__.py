"""From a record to a run. Never imports the UI."""
