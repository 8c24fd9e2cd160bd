"""Whether a text is written to steer the model that will read it: signs with weights, judged by its source."""

from engrain.security.injection.detector import THRESHOLDS, Suspicion, judge, suspicions

__all__ = ["THRESHOLDS", "Suspicion", "judge", "suspicions"]
