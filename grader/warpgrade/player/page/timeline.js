// The time line: a row for each warp, a column for each step or for several; barriers, divergence and findings.
import {make} from './panels.js';

const ROW = 9, GAP = 2, TOP = 14;

export class Timeline {
  constructor(root, player) {
    this.player = player;
    this.canvas = make('canvas', {tabindex: 0, role: 'slider', 'aria-label': 'moment', 'aria-valuemin': 1, 'aria-valuemax': player.recording.length});
    this.height = TOP + player.recording.warps * (ROW + GAP) + 4;
    root.append(this.canvas);
    const move = (event) => {
      const box = this.canvas.getBoundingClientRect();
      player.go(Math.round((event.clientX - box.left) / box.width * player.moments.last));
    };
    this.canvas.addEventListener('pointerdown', (event) => { this.canvas.setPointerCapture(event.pointerId); move(event); });
    this.canvas.addEventListener('pointermove', (event) => { if (event.buttons) move(event); });
    new ResizeObserver(() => { this.drawn = null; this.update(player.moment); }).observe(root);
  }

  colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  // The picture without the cursor, drawn once for each width.
  background(width, scale) {
    const {recording, moments} = this.player;
    const picture = document.createElement('canvas');
    picture.width = width * scale;
    picture.height = this.height * scale;
    const to = picture.getContext('2d');
    to.scale(scale, scale);
    const n = recording.length, x = (step) => step / Math.max(1, n) * width;
    to.fillStyle = this.colour('--sunken');
    for (let warp = 0; warp < recording.warps; warp++) to.fillRect(0, TOP + warp * (ROW + GAP), width, ROW);
    to.fillStyle = this.colour('--accent');
    for (let step = 0; step < n;) {
      let end = step;
      while (end + 1 < n && recording.warp[end + 1] === recording.warp[step]) end++;
      to.fillRect(x(step), TOP + recording.warp[step] * (ROW + GAP), Math.max(1, x(end + 1) - x(step)), ROW);
      step = end + 1;
    }
    to.fillStyle = this.colour('--ink');
    moments.phase(n);
    for (const step of moments.openings) to.fillRect(x(step + 1) - .75, TOP - 4, 1.5, this.height - TOP + 4);
    (this.player.head.findings ?? []).forEach((finding) => this.mark(to, finding, x));
    return picture;
  }

  mark(to, finding, x) {
    const {recording} = this.player;
    const steps = [finding.step, finding.other_step].filter((step) => step !== null && step !== undefined && step >= 0);
    to.fillStyle = to.strokeStyle = this.colour('--bad');
    to.lineWidth = 1.5;
    if (steps.length === 2) this.edge(to, steps, x);
    for (const step of steps) {
      const at = x(step);
      to.beginPath();
      to.moveTo(at - 5, 0); to.lineTo(at + 5, 0); to.lineTo(at, 8);
      to.fill();
      to.fillRect(at - 1, TOP + recording.warp[step] * (ROW + GAP) - 1, 3, ROW + 2);
    }
  }

  // From one side to the other: the order that is missing.
  edge(to, steps, x) {
    const row = (step) => TOP + this.player.recording.warp[step] * (ROW + GAP) + ROW / 2;
    to.save();
    to.setLineDash([4, 3]);
    to.beginPath();
    to.moveTo(x(steps[0]), row(steps[0]));
    to.lineTo(x(steps[1]), row(steps[1]));
    to.stroke();
    to.restore();
  }

  update(moment) {
    const {recording} = this.player;
    const width = this.canvas.parentElement.clientWidth, scale = window.devicePixelRatio || 1;
    if (!width) return;
    if (!this.drawn) {
      this.drawn = this.background(width, scale);
      this.canvas.width = width * scale;
      this.canvas.height = this.height * scale;
      this.canvas.style.height = `${this.height}px`;
    }
    const to = this.canvas.getContext('2d');
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, this.canvas.width, this.canvas.height);
    to.drawImage(this.drawn, 0, 0);
    to.scale(scale, scale);
    to.fillStyle = this.colour('--cursor');
    to.fillRect((moment + .5) / recording.length * width - 1, 0, 2, this.height);
    this.canvas.setAttribute('aria-valuenow', moment + 1);
    this.canvas.setAttribute('aria-valuetext', `step ${moment + 1} of ${recording.length}, phase ${this.player.moments.phase(moment) + 1}`);
  }
}
