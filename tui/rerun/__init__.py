"""From a record to a run that is over, and what it meant. Never imports the UI. To be read in this order:

What a run is
    plan             one step, ready to start
    run              a run as it is seen: state, outcome
    recipe_file      a plan as recipe.json
    secret_values    what of a plan is never written down
    run_files        the JSON files of a run folder
    place            on which host it is
    run_reading      a folder -> a run
    runs             the folders: made, found, deleted

From a record to a plan
    recipe           stack, packages on top, script, cache command
    hub_answers      what the Hub tells of the model
    this_machine     what there is here for it
    preparation      what goes into a rerun, and what comes out
    run_environment  what is set for it
    steps            one of the other: each step, or why not
    about            what recipe.json tells beyond that
    shell_line       the same as one line for a shell elsewhere
    overlay          the step that installs packages on top
    step_commands    the commands of such a step

At work
    start            from outside: started, stopped
    fresh_look       what changed before the same is started again
    supervisor       the process that brings one run to its end
    state_file       what it writes of it
    detached         how that outlives the terminal
    timing           how long it waits for what
    waiting          how a run comes to its devices
    devices          which ones it gets
    holding          which ones others have
    starting         what the script is started with
    inside           the same in a container
    output           what it prints, into its log
    watching         what it is doing
    members          its processes
    identity         one process, across reuse of its pid
    stopping         ending all of them

Its log
    run_log          written with a limit, read while it grows
    log_segments     how it lies on disk
    log_lines        bytes -> lines as a terminal shows them
    sgr              their colours
    kept_lines       the lines in memory
    plain_lines      bytes -> lines to search

What it means
    progress         where it is, in words
    recorded         the record that it repeats
    outcome          beside that record; the text for the discussion page
    diagnosis        the cause of a failure
    known_failures   the texts that tell of one
    redaction        what must not be published
    news             its end, told once
"""
