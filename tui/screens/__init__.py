"""The full-screen views and dialogs."""
