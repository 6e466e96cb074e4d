"""What this machine can do: Neuron devices, interpreters, fit. Never imports the UI. To be read in this order:

Devices
    neuron               the devices as a whole: how many, which cores, who holds them
    neuron_ls            what neuron-ls says
    device_files         what files of the driver say
    device_holders       which processes have one open

Interpreters
    interpreters         the Pythons and the stack of each
    interpreter_places   where they are found
    interpreter_query    what one says of itself
    installed_stack      which stack of the dataset one has
    versions             when two spellings name one version

Fit of a record
    checklist            the values of a checklist
    fit                  the whole of it
    fit_devices          its part about devices
    fit_stack            its part about versions
    fit_room             its part about weights, disks, token, logout
    surroundings         what is found out for that part

Search
    limits               cores and stack of this host, for `fits:here`
"""
