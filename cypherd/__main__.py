"""`python -m cypherd`."""

from cypherd.cli import main

main()
