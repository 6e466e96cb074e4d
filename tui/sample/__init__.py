"""The bundled sample: invented records and rankings that show every case. Written by tests/tools/write_sample.py."""
