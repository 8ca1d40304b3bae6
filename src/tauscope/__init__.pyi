# The public names, once. `__init__.py` reads this file and imports each when it is first used.
from .coefficients.ap import tau_ap as tau_ap, tau_ap_a as tau_ap_a, tau_ap_b as tau_ap_b, tau_ap_e as tau_ap_e
from .coefficients.batch import Batch as Batch, CorrelationMatrix as CorrelationMatrix, Correlations as Correlations
from .coefficients.batch import correlate as correlate, correlate_batch as correlate_batch
from .coefficients.batch import correlation_matrix as correlation_matrix
from .coefficients.choosing import Choice as Choice, choose as choose
from .coefficients.correlation import Correlation as Correlation, Walk as Walk
from .coefficients.gap import tau_gap as tau_gap
from .coefficients.conventions import Convention as Convention, Identification as Identification
from .coefficients.conventions import identify as identify
from .coefficients.kendall import tau as tau, tau_a as tau_a, tau_b as tau_b, tau_e as tau_e
from .coefficients.pearson import pearson as pearson, pearson_rank as pearson_rank, spearman as spearman
from .coefficients.records import Coefficient as Coefficient, catalogue as catalogue
from .coefficients.thresholds import ThresholdCurve as ThresholdCurve, threshold_curve as threshold_curve
from .coefficients.weights import PairWeights as PairWeights, pair_weights as pair_weights
from .errors import AlignmentError as AlignmentError, CallError as CallError, FileError as FileError
from .errors import MissingPackageError as MissingPackageError, TauscopeError as TauscopeError, TiesError as TiesError
from .errors import Undefined as Undefined
from .pairs import Pair as Pair, PairTable as PairTable
from .ranking import Ranking as Ranking, align as align

__version__: str
