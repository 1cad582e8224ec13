// Sets the clocks of a process wrong: `node --import …/skewed-clock.mjs`, with SKEW_MS in the environment.
const skewMs = Number(process.env.SKEW_MS);

const RightDate = Date;
const rightNow = Date.now;
globalThis.Date = class extends RightDate {
  constructor(...given) {
    if (given.length === 0) super(rightNow() + skewMs);
    else super(...given);
  }
  static now() {
    return rightNow() + skewMs;
  }
};

const elapsed = performance.now.bind(performance);
performance.now = () => elapsed() + skewMs;
