"""Calibration: whether what is scored 0.8 is right in eight cases of ten, and what to do if not."""

from sqljury.learning.calibration.reliability import Bin, Reliability, reliability
from sqljury.learning.calibration.temperature import fit_temperature

__all__ = ["Bin", "Reliability", "fit_temperature", "reliability"]
