"""What this machine can do: Neuron devices, interpreters, fit. Never imports the UI."""
