// A small chart of the last hour: one value for each minute. The numbers are also in its text.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

export interface Series {
  readonly name: string;
  /** A colour of the style sheet, such as `--accent`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** Beginnings of the minutes, seconds since 1970. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly as: 'bars' | 'lines';
  readonly format: (value: number) => string;
}

const HEIGHT_PX = 130;
const AXIS_PX = 52;
const CLOCK_PX = 24;
const HOUR_S = 3600;
/** Of the scale, so that its labels differ where there is nothing yet. */
const TOP_MIN = 4;
const MINUTE_S = 60;
const BAR_SHARE = 0.7;
const DARK = '(prefers-color-scheme: dark)';

export default function Chart(props: ChartProps) {
  const { title, series, format } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    const target = frame.current;
    if (target === null) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(
        optionsOf(newest.current, target.clientWidth),
        dataOf(newest.current),
        target,
      );
    };
    draw();
    const sizes = new ResizeObserver(() =>
      chart.current?.setSize({ width: target.clientWidth, height: HEIGHT_PX }),
    );
    sizes.observe(target);
    // The colours are read when the chart is made.
    const theme = matchMedia(DARK);
    theme.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      theme.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => {
    chart.current?.setData(dataOf(props));
  }, [props]);
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ name, colour, values }) => (
          <span key={name} className="row">
            <svg className="key" aria-hidden="true" viewBox="0 0 10 10">
              <rect width="10" height="10" rx="2" fill={`var(${colour})`} />
            </svg>
            {name}: {inWords(values, format)}
          </span>
        ))}
      </figcaption>
      <div ref={frame} aria-hidden="true" />
    </figure>
  );
}

function inWords(values: readonly (number | null)[], format: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return 'none';
  return `${format(last)}, at most ${format(Math.max(...known))}`;
}

function dataOf({ at, series }: ChartProps): uPlot.AlignedData {
  // A single minute is not drawn: the width of bars is the distance between two.
  const before = at.length === 1 ? at.map((one) => one - MINUTE_S) : [];
  return [[...before, ...at], ...series.map(({ values }) => [...before.map(() => null), ...values])];
}

function optionsOf({ series, as, format }: ChartProps, width: number): uPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  // The colours are written as light-dark(): an element resolves them.
  const probe = document.createElement('span');
  document.body.append(probe);
  const colourOf = (name: string) => {
    probe.style.color = styles.getPropertyValue(name);
    return getComputedStyle(probe).color;
  };
  const axis = {
    stroke: colourOf('--faint'),
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: '11px sans-serif',
  };
  const options: uPlot.Options = {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 24, 0, 0],
    scales: {
      x: {
        range: (_, __, last) => [last - HOUR_S + MINUTE_S, last + MINUTE_S],
      },
      y: { range: (_, __, top) => [0, Math.max(TOP_MIN, top * 1.1)] },
    },
    axes: [
      { ...axis, size: CLOCK_PX, values: (_, splits) => splits.map(clock), space: 70 },
      { ...axis, size: AXIS_PX, space: 34, values: (_, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...series.map(({ colour }) => {
        const stroke = colourOf(colour);
        const bars = as === 'bars' ? uPlot.paths.bars?.({ size: [BAR_SHARE, 12], align: 1 }) : undefined;
        return {
          stroke,
          width: 2,
          points: { show: as === 'lines', size: 5 },
          ...(bars === undefined ? {} : { fill: stroke, paths: bars, width: 0 }),
        };
      }),
    ],
  };
  probe.remove();
  return options;
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}
