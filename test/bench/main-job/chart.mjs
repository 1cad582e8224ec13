// Writes the growth of cycles as a table (CSV) and as a small chart (SVG).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WIDTH = 640;
const HEIGHT = 260;
const MARGIN = 48;
const TITLES = { children: 'children of one parent', sessions: 'sessions in the database' };

/** @param series - By name, points of a size: the cycles per second at it, and the processor time of a cycle. */
export function writeChart(folder, series) {
  const rows = Object.entries(series).flatMap(([name, points]) =>
    points.map(
      ({ size, rate, processorMs }) =>
        `${TITLES[name]},${String(size)},${rate.toFixed(1)},${processorMs.toFixed(2)}`,
    ),
  );
  writeFileSync(
    join(folder, 'performance-growth.csv'),
    `grown,size,cycles_per_second,processor_ms_per_cycle\n${rows.join('\n')}\n`,
  );
  const most = Math.max(...Object.values(series).flatMap((points) => points.map(({ rate }) => rate)));
  const panels = Object.entries(series).map(([name, points], i) => panel(TITLES[name], points, most, i));
  writeFileSync(
    join(folder, 'performance-growth.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(2 * WIDTH)}" height="${String(HEIGHT)}" font-family="sans-serif" font-size="12">\n` +
      `<rect width="100%" height="100%" fill="white"/>\n${panels.join('\n')}\n</svg>\n`,
  );
}

function panel(title, points, most, index) {
  const sizes = points.map(({ size }) => Math.log10(size));
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const x = (size) => MARGIN + ((Math.log10(size) - low) / (high - low)) * (WIDTH - 2 * MARGIN);
  const y = (rate) => HEIGHT - MARGIN - (rate / most) * (HEIGHT - 2 * MARGIN);
  const at = points.map(({ size, rate }) => `${x(size).toFixed(1)},${y(rate).toFixed(1)}`);
  const labels = points.map(
    ({ size, rate, processorMs }) =>
      `<circle cx="${x(size).toFixed(1)}" cy="${y(rate).toFixed(1)}" r="3" fill="#1f6feb"/>` +
      `<text x="${x(size).toFixed(1)}" y="${(y(rate) - 8).toFixed(1)}" text-anchor="middle">${rate.toFixed(0)}</text>` +
      `<text x="${x(size).toFixed(1)}" y="${String(HEIGHT - MARGIN + 16)}" text-anchor="middle">${size.toLocaleString('en')}</text>` +
      `<text x="${x(size).toFixed(1)}" y="${String(HEIGHT - MARGIN + 32)}" text-anchor="middle" fill="#666">${processorMs.toFixed(1)} ms</text>`,
  );
  return (
    `<g transform="translate(${String(index * WIDTH)} 0)"><text x="${String(MARGIN)}" y="20">Cycles per second by ${title}; below, processor time of one cycle</text>` +
    `<line x1="${String(MARGIN)}" x2="${String(WIDTH - MARGIN)}" y1="${String(HEIGHT - MARGIN)}" y2="${String(HEIGHT - MARGIN)}" stroke="#888"/>` +
    `<polyline points="${at.join(' ')}" fill="none" stroke="#1f6feb" stroke-width="2"/>${labels.join('')}</g>`
  );
}
