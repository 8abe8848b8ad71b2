// Draws the charts of the page with uPlot. The figures come from the JSON block of the page; names in it are only ever set
// as text. Without this script the page still has every figure, in the table below each chart.
"use strict";
(() => {
  const root = document.documentElement;
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const drawn = []; // what is on the page: { spec, figure, plot, hidden }

  // A failure that nobody sees is worse than one that the page tells, also to what tests it.
  addEventListener("error", event => { root.dataset.error = event.message; });

  const colour = name => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const seriesColour = (kind, name, at) =>
    kind === "stack" ? colour(name) : kind === "points" ? colour(at === 0 ? "ours" : "theirs") : colour("series-" + (at % 8 + 1));

  // Beyond eight colours the lines are told apart by their dashes.
  const dash = at => [[], [8, 4], [2, 3]][Math.floor(at / 8) % 3];

  // ---- figures as text

  const digits = value => {
    const size = Math.abs(value);
    return size === 0 ? "0" : size >= 1e6 ? value.toExponential(1) : String(+value.toPrecision(3));
  };
  const scaled = (value, steps) => {
    const [from, unit] = steps.find(([least]) => Math.abs(value) >= least) ?? steps.at(-1);
    return digits(value / (from || 1)) + unit;
  };
  const times = [[1e9, " s"], [1e6, " ms"], [1e3, " µs"], [0, " ns"]];
  const rates = [[1e9, " G/s"], [1e6, " M/s"], [1e3, " k/s"], [0, " /s"]];
  const percentile = x => +(100 - 100 / x).toFixed(Math.max(0, Math.ceil(Math.log10(x) - 1e-6) - 1)) + " %";
  const text = (axis, value) =>
    value == null ? "–"
      : axis.scale === "percentile" ? percentile(value)
      : axis.unit === "ns" || axis.unit.startsWith("ns,") ? scaled(value, times)
      : axis.unit === "share" ? digits(value * 100) + " %"
      : axis.unit === "s" ? digits(value) + " s"
      : axis.unit.endsWith("/s") ? scaled(value, rates)
      : digits(value);
  const withUnit = (axis, value) => {
    const own = text(axis, value);
    return /[%a-zµ]$/.test(own) ? own : own + " " + axis.unit;
  };

  // ---- the figures as uPlot wants them

  function dataOf(spec) {
    if (spec.kind === "points") {
      const points = spec.series.flatMap((one, series) =>
        one.xs.map((x, at) => ({ x, y: one.ys[at], series, label: one.labels[at] })));
      points.sort((a, b) => a.x - b.x);
      spec.points = points;
      return [points.map(p => p.x), ...spec.series.map((_, at) => points.map(p => p.series === at ? p.y : null))];
    }
    if (spec.kind === "stack") {
      // Each area reaches down to 0 and the lower ones are drawn over it: the first series is the sum of all.
      const sums = spec.xs.map(() => 0);
      const up = spec.series.map(one => one.ys.map((y, at) => sums[at] += y ?? 0));
      return [[0, ...spec.xs], ...up.reverse().map(ys => [ys[0], ...ys])];
    }
    return [spec.x.scale === "ordinal" ? spec.xs.map((_, at) => at) : spec.xs, ...spec.series.map(one => one.ys)];
  }

  // uPlot's series 1, 2, … by the spec's: a stack is drawn from its top.
  const place = (spec, at) => spec.kind === "stack" ? spec.series.length - at : at + 1;

  function seriesOf(spec, one, at) {
    const stroke = seriesColour(spec.kind, one.name, at);
    const common = { label: one.name, stroke, spanGaps: true };
    if (spec.kind === "points") {
      return {
        ...common, width: 1.5, dash: [4, 4], paths: at === 0 ? uPlot.paths.linear() : () => null,
        points: { show: true, size: at === 0 ? 10 : 7, fill: at === 0 ? stroke : colour("paper"), width: 2 },
      };
    }
    if (spec.kind === "stack") {
      return { ...common, width: 0, fill: stroke, points: { show: false }, paths: uPlot.paths.stepped({ align: -1 }) };
    }
    return { ...common, width: 2, dash: dash(at), points: { show: one.ys.filter(y => y != null).length <= 12, size: 6, fill: stroke } };
  }

  // ---- axes

  // Whole steps of the power below and above, so that the grid begins and ends with a line.
  const logRange = (least, most) => {
    const power = value => 10 ** Math.floor(Math.log10(value) + 1e-9);
    return [Math.floor(least / power(least) + 1e-9) * power(least), Math.ceil(most / power(most) - 1e-9) * power(most)];
  };

  function axisOf(spec, axis, isX) {
    const stroke = colour("ink");
    const grid = { stroke: colour("line"), width: 1 };
    const common = { stroke, grid, ticks: grid, font: "12px system-ui, 'DejaVu Sans', sans-serif" };
    common.values = (plot, splits) => splits.map(value => value == null ? "" : text(axis, value));
    if (!isX) return { ...common, size: 72 };
    if (axis.scale === "percentile") {
      common.splits = plot => {
        const nines = [];
        for (let x = 1; x <= plot.scales.x.max * 1.001; x *= 10) nines.push(x);
        return nines;
      };
      // A label is only drawn where the one before leaves it room.
      common.filter = (plot, splits) => {
        const step = Math.ceil(66 * splits.length / plot.width);
        return splits.map((x, at) => (splits.length - 1 - at) % step === 0 ? x : null);
      };
    } else if (axis.scale === "ordinal") {
      common.splits = plot => {
        const step = Math.ceil(44 * spec.xs.length / plot.width);
        return spec.xs.map((_, at) => at).filter(at => at % step === 0);
      };
      common.values = (plot, splits) => splits.map(at => text(axis, spec.xs[at]));
    }
    const label = axis.scale === "linear" || axis.scale === "ordinal" ? { label: axis.label, labelSize: 22, labelFont: common.font } : {};
    return { ...common, ...label, size: 34, space: 64 };
  }

  function scaleOf(spec, axis, isX) {
    if (axis.scale === "percentile") return { time: false, distr: 3, range: (plot, least, most) => [1, Math.max(most, 10)] };
    if (axis.scale === "ordinal") return { time: false, range: () => [-.3, spec.xs.length - .7] };
    if (axis.unit === "share") return { range: () => [0, 1] };
    if (axis.scale === "log") {
      return { time: false, distr: 3, range: (plot, least, most) => least == null ? [1, 10] : logRange(least * .95, most * 1.05) };
    }
    if (isX && spec.kind === "stack") return { time: false };
    return { time: false, range: (plot, least, most) => uPlot.rangeNum(Math.min(0, least ?? 0), most ?? 1, .1, true) };
  }

  // ---- names beside the points of a front, where there is room

  function label(plot, spec) {
    const { ctx } = plot, ratio = devicePixelRatio, taken = [];
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, 'DejaVu Sans', sans-serif`;
    ctx.fillStyle = colour("ink");
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const point of [...spec.points].sort((a, b) => a.series - b.series)) {
      if (!plot.series[point.series + 1].show) continue;
      const width = ctx.measureText(point.label).width, height = 15 * ratio;
      const x = plot.valToPos(point.x, "x", true), y = plot.valToPos(point.y, "y", true);
      const isRight = x + width + 9 * ratio < plot.bbox.left + plot.bbox.width;
      const left = isRight ? x + 9 * ratio : x - 9 * ratio - width;
      const free = left >= plot.bbox.left
        && taken.every(t => left > t.left + t.width || left + width < t.left || Math.abs(y - t.y) > height);
      if (!free) continue;
      taken.push({ left, width, y });
      ctx.fillText(point.label, left, y);
    }
    ctx.restore();
  }

  // ---- what the cursor is at, for eyes and for screen readers

  function tell(entry, at) {
    const { spec, figure, plot } = entry;
    const live = figure.querySelector(".live");
    if (at == null) { live.textContent = ""; return; }
    if (spec.kind === "points") {
      const point = spec.points[at];
      live.textContent = `${point.label}: ${withUnit(spec.x, point.x)}, ${withUnit(spec.y, point.y)}`;
      return;
    }
    const from = spec.kind === "stack" ? Math.max(0, at - 1) : at;
    const figures = spec.series.filter((one, i) => plot.series[place(spec, i)].show && one.ys[from] != null)
      .map(one => `${one.name} ${withUnit(spec.y, one.ys[from])}`);
    live.textContent = `${withUnit(spec.x, spec.xs[from])}: ${figures.join(" · ")}`;
  }

  function step(entry, event) {
    const { plot } = entry, last = plot.data[0].length - 1;
    const now = plot.cursor.idx ?? -1;
    const next = { ArrowRight: now + 1, ArrowLeft: now < 0 ? last : now - 1, Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next < 0) { plot.setCursor({ left: -10, top: -10 }); return; }
    const at = Math.min(next, last);
    const ys = plot.data.slice(1).map(series => series[at]).filter(y => y != null);
    plot.setCursor({ left: plot.valToPos(plot.data[0][at], "x"), top: ys.length ? plot.valToPos(ys[0], "y") : 0 });
  }

  function legendOf(entry) {
    const { spec, figure } = entry;
    const legend = figure.querySelector(".legend");
    legend.replaceChildren(...spec.series.map((one, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!entry.hidden.has(at)));
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const places = { x1: 0, x2: 26, y1: 6, y2: 6, "stroke-width": spec.kind === "lines" ? 3 : 11 };
      for (const [name, value] of Object.entries(places)) line.setAttribute(name, value);
      line.setAttribute("stroke", seriesColour(spec.kind, one.name, at));
      if (spec.kind === "lines") line.setAttribute("stroke-dasharray", dash(at).join(" "));
      svg.append(line);
      svg.setAttribute("viewBox", "0 0 26 12");
      svg.setAttribute("aria-hidden", "true");
      button.append(svg, one.name);
      // The areas of a stack stand on each other: none of them can be taken away.
      if (spec.kind === "stack") button.disabled = true;
      button.addEventListener("click", () => {
        const isShown = entry.hidden.delete(at) || !entry.hidden.add(at);
        button.setAttribute("aria-pressed", String(isShown));
        entry.plot.setSeries(place(spec, at), { show: isShown });
      });
      return button;
    }));
  }

  // ---- drawing

  const heightOf = (spec, width) => spec.kind === "stack" ? 180 : Math.max(260, Math.min(400, width * .5));

  function draw(entry) {
    const { spec, figure } = entry;
    const box = figure.querySelector(".plot");
    const width = Math.max(box.clientWidth, 200);
    entry.plot?.destroy();
    const series = spec.series.map((one, at) => ({ ...seriesOf(spec, one, at), show: !entry.hidden.has(at) }));
    if (spec.kind === "stack") series.reverse();
    entry.plot = new uPlot({
      width, height: heightOf(spec, width),
      padding: [14, 34, 4, 4], // the last label of the axis stands half beyond it
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, focus: { prox: spec.kind === "lines" ? 24 : -1 } },
      focus: { alpha: .35 },
      scales: { x: scaleOf(spec, spec.x, true), y: scaleOf(spec, spec.y, false) },
      axes: [axisOf(spec, spec.x, true), axisOf(spec, spec.y, false)],
      series: [{}, ...series],
      hooks: {
        draw: [plot => {
          if (spec.kind === "points") label(plot, spec);
          figure.dataset.drawn = String(plot.series.slice(1).filter(one => one.show).length);
        }],
        setCursor: [plot => { if (entry.plot === plot) tell(entry, plot.cursor.idx); }],
      },
    }, dataOf(spec), box);
    legendOf(entry);
  }

  for (const spec of specs) {
    const figure = document.getElementById(spec.id);
    const entry = { spec, figure, plot: null, hidden: new Set() };
    drawn.push(entry);
    draw(entry);
    const box = figure.querySelector(".plot");
    box.addEventListener("keydown", event => step(entry, event));
    let width = box.clientWidth;
    new ResizeObserver(() => {
      if (box.clientWidth === width || box.clientWidth === 0) return;
      width = box.clientWidth;
      entry.plot.setSize({ width, height: heightOf(spec, width) });
    }).observe(box);
  }

  // Colours are part of the drawing: when they change, it is made anew. Paper is light.
  const redraw = () => drawn.forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => { root.dataset.printing = ""; redraw(); });
  addEventListener("afterprint", () => { delete root.dataset.printing; redraw(); });
})();
