"""Made-up graphs for trying out and for load tests."""

from cypherd.generator.social_network import GeneratorReport, generate_social_network

__all__ = ["GeneratorReport", "generate_social_network"]
