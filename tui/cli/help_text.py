"""The words of `trn-models --help`."""

from __future__ import annotations

SUMMARY = """\
Does this Hugging Face model run on AWS Trainium2, on which software stack, and how do I run it again here?

Without a verb the app opens: a table of the models that were tested, searched by name, with verdict, cores,
time and memory, the script of each run, and the commands to run it again. Where there is no terminal for it
(a pipe, TERM=dumb or unknown) the first 20 models are printed instead.
"""

EPILOG = """\
Examples:
  trn-models                              the app
  trn-models --sample                     with invented models, without network
  trn-models show ORG/NAME                one model; the exit code tells PASS
  trn-models list --search "qwen 8b"      models whose name has both words
  trn-models compare ORG/NAME             the model across all stacks
  trn-models diff 2.27 2.28               two stacks; exit 1: something broke
  trn-models script ORG/NAME -o run.py    the script of its record
  trn-models VERB --help                  more of each verb

Keys in the app:
  /            search: words of the name, is:fail, cores<=4 and more (F1 there);
               Down or Enter go to the table, Esc clears
  1 2 3        views: Selected (tested models), Trending, Downloads (the Hub's
               rankings of one task)
  4            overview: pass rates, kinds of failures, memory
  t T          task of a ranking; Transformers models only
  c v          neuronx-cc version; library version
  s S a        sort; turn the order round; show the models that were left out
  b B E        save this search; saved searches; export what is shown
  Enter z      detail: verdict, check, error, other stacks, how to run it;
               whole screen
  x X          the model across all stacks; two stacks against each other
  y i n        copy run.py, the install line, the command that fetches
               compiled graphs
  m e o f      copy model id, error, address of the Hub page; whole error
  w p          write run.py to a file; plain text for selecting with the mouse
  r R H        run the record again here, after a checklist; all runs; this host
  u P          ask the Hub for news; what could not be read
  ? : q        help, every command by name, back or quit
  Arrows, j k g G, PageUp, PageDown move; the mouse works too.

Data:
  The Hub dataset aws-neuron/torch-neuronx-model-support: a record for each
  model on each stack (neuronx-cc version, library version). PASS is a
  functional test of 32 tokens, not a benchmark; the detail tells what was
  checked. Without network the last snapshot is shown; without a snapshot the
  bundled sample, which says that it is one.

Runs:
  trn-models run MODEL starts the run.py of a record, after a checklist and a
  question. A run outlives the terminal, and its devices are its own;
  trn-models runs lists, follows, stops and deletes them. "done" is exit code
  0 and nothing more. Off a trn2 host it takes --any-host, for trying:
  trn-models run sample/Basalt-0.5B --sample --any-host

Files:
  ~/.config/trn-models/config.toml
      settings, named like the variables below: dataset = "ORG/NAME"
  ~/.cache/trn-models
      snapshots, rankings, answers of the Hub; packages on top (overlays); can
      be deleted
  ~/.local/state/trn-models
      what the app remembers (state.json), its log (trn-models.log), and a
      folder for each run (runs)
  ~/.cache/huggingface
      files as they were downloaded (HF_HOME)
  XDG_CONFIG_HOME, XDG_CACHE_HOME and XDG_STATE_HOME are honoured.

Environment:
  TRN_MODELS_DATA, TRN_MODELS_DATASET, TRN_MODELS_REVISION, TRN_MODELS_SAMPLE,
  TRN_MODELS_OFFLINE, TRN_MODELS_ASCII, TRN_MODELS_THEME, TRN_MODELS_PYTHON,
  TRN_MODELS_ANY_HOST
      like the options above
  TRN_MODELS_NEFF_BUCKET
      hf://buckets/ORG/NAME or s3://BUCKET with compiled graphs
  TRN_MODELS_NEFF_CACHE_DIR, TORCH_NEURONX_NEFF_CACHE_DIR
      where compiled graphs are kept
  TRN_MODELS_HOST_ROOT
      folder that stands for / when Neuron devices are looked for
  TRN_MODELS_BELL, TRN_MODELS_LOG_LIMIT
      0: no bell when a run has ended; bytes of a run's log that are kept
  TRN_MODELS_OSC52_LIMIT
      bytes that may be sent to the terminal's clipboard
  TRN_MODELS_CACHE_DIR, TRN_MODELS_STATE_DIR, TRN_MODELS_CONFIG_DIR
      folders of this app
  HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE, HF_TOKEN, HTTPS_PROXY,
  SSL_CERT_FILE, NO_COLOR, TERM
      as everywhere

Exit codes:
  0 PASS or done, 1 FAIL of a model, 2 a wrong word or setting, or nothing could
  be started or written, 3 left out, 4 no record on that stack, 5 no data could
  be read, 6 another result word, 7 no such model or several, 70 internal
  error, 130 interrupted, or a question answered with no.
  run, runs again and runs log --follow end with the exit code of the run:
  its own, 128 + the signal that ended it, 130 when it was stopped, 70 when it
  was lost. diff ends with 1 when a model that passed on the old stack fails on
  the new one, and only then. Elsewhere 1 means FAIL of a model, and nothing
  else ends with 1.
"""
