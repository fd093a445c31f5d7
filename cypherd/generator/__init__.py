"""A made-up social network, in a store or as CSV files."""

from cypherd.generator.social_network import (
    GeneratorReport,
    generate_social_network,
    write_social_network,
)

__all__ = ["GeneratorReport", "generate_social_network", "write_social_network"]
