"""`python -m tauscope`."""

from .cli import main

raise SystemExit(main())
