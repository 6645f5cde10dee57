"""S2ORC JSON, both the original and the 2023 release."""
