// Loaded in front of a program (`node --import`): its clock is wrong. CLOCK_BACK: milliseconds that it is behind; CLOCK_STEP:
// milliseconds that it goes back with each look at it.
const real = Date.now;
const behind = Number(process.env.CLOCK_BACK ?? 0);
const step = Number(process.env.CLOCK_STEP ?? 0);
let looks = 0;
Date.now = () => real() - behind - step * looks++;
