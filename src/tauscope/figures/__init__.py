"""Charts from arrays and labels (Altair, imported when a chart is made). Knows no domain type."""

from __future__ import annotations

from .base import BLUE as BLUE
from .base import GREEN as GREEN
from .base import GREY as GREY
from .base import INK as INK
from .base import MOST_MARKS as MOST_MARKS
from .base import ORANGE as ORANGE
from .base import PALETTE as PALETTE
from .base import RED as RED
from .base import SAVED_AS as SAVED_AS
from .base import TWO_NAMES as TWO_NAMES
from .base import save as save
from .charts import band as band
from .charts import dots as dots
from .charts import histogram as histogram
from .charts import named_bars as named_bars
from .charts import ranks as ranks
from .charts import scatter as scatter
from .charts import spans as spans
from .charts import steps as steps
from .heatmaps import heatmap as heatmap
from .side_by_side import framed_curves as framed_curves
from .side_by_side import panels as panels
