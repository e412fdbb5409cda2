// The player: one moment, shown by all panels; buttons, keys and the address move it.
import {unpack, Recording} from './recording.js';
import {Moments} from './moments.js';
import {Story} from './story.js';
import {make, setText, SourcePanel, LanesPanel, VariablesPanel, RegistersPanel, CostPanel, FindingsPanel} from './panels.js';
import {ArraysPanel, ElementPanel, TouchedPanel} from './arrays.js';
import {Timeline} from './timeline.js';

export class Player {
  constructor(recording) {
    this.recording = recording;
    this.head = recording.head;
    this.moments = new Moments(recording);
    this.story = new Story(this.moments);
    this.moment = 0;
    this.thread = 0;
    this.chosen = null;
    this.panels = [];
  }

  findingLines() {
    return (this.head.findings ?? []).flatMap((each) => [each.line, each.other?.line]).filter(Boolean);
  }

  // "array:index" of the elements that findings are about.
  foundElements() {
    this.found ??= new Set((this.head.findings ?? []).filter((each) => each.element)
      .map((each) => `${this.recording.arrays.findIndex((array) => array.name === each.element.array)}/${each.element.index}`));
    return this.found;
  }

  link(text, step, place) {
    return make('a', {href: `#step=${step + 1}`, onclick: (event) => {
      event.preventDefault();
      if (place?.thread) this.choose(this.threadAt(place.thread));
      this.go(step);
    }}, text);
  }

  button(text, key, act) {
    return make('button', {type: 'button', onclick: act, title: `${text} (key ${key})`}, text);
  }

  go(moment) {
    if (moment < 0 || Number.isNaN(moment)) return this.say('There is none.');
    this.moment = Math.min(this.moments.last, moment);
    return this.show();
  }

  choose(thread) { this.thread = thread; this.show(); }
  chooseElement(array, index) { this.chosen = {array, index}; this.show(); }
  say(text) { setText(this.said, text); }

  show() {
    for (const panel of this.panels) panel.update(this.moment);
    const phase = this.moments.phase(this.moment) + 1;
    setText(this.where, `step ${(this.moment + 1).toLocaleString('en')} of ${this.recording.length.toLocaleString('en')} · phase ${phase}`);
    this.say(this.story.tell(this.moment, this.thread));
    clearTimeout(this.later);
    this.later = setTimeout(() => this.writeAddress(), 150);
    this.followed?.(); // a comparison moves the other side, too
  }

  writeAddress() {
    const element = this.chosen ? `&element=${encodeURIComponent(this.chosen.array.name)}:${this.chosen.index}` : '';
    if (parent !== window && location.protocol === 'about:') return; // side by side: the address is not its own
    history.replaceState(null, '', `#step=${this.moment + 1}&thread=${this.thread}${element}`);
  }

  // #step=12&thread=3&element=tile:7, or #finding=1
  readAddress(text) {
    const wanted = new URLSearchParams(text.replace(/^#/, ''));
    const finding = (this.head.findings ?? [])[Number(wanted.get('finding')) - 1];
    if (finding) this.showFinding(finding);
    const [, array, index] = /^(.*):(\d+)$/.exec(wanted.get('element') ?? '') ?? []; // a name may have a colon
    const found = this.recording.arrays.find((each) => each.name === array);
    if (found) this.chosen = {array: found, index: Number(index)};
    if (wanted.has('thread')) this.thread = Math.min(32 * this.recording.warps - 1, Number(wanted.get('thread')) || 0);
    if (wanted.has('step')) this.moment = Math.min(this.moments.last, Math.max(0, Number(wanted.get('step')) - 1 || 0));
  }

  showFinding(finding) {
    const steps = [finding.step, finding.other_step].filter((step) => step !== null && step !== undefined && step >= 0);
    if (!steps.length) return;
    this.moment = Math.max(...steps);
    const place = this.moment === finding.step ? finding : finding.other;
    this.thread = this.threadAt(place.thread);
    const array = this.recording.arrays.find((each) => each.name === finding.element?.array);
    if (array) this.chosen = {array, index: finding.element.index};
  }

  // --- commands ---

  commands() {
    const {moments} = this;
    const element = (next) => (this.chosen ? next(this.chosen.array, this.chosen.index) : -1);
    return [
      ['ArrowRight', 'next instruction', () => this.go(this.moment < moments.last ? this.moment + 1 : -1)],
      ['ArrowLeft', 'instruction before', () => this.go(this.moment - 1)],
      ['ArrowDown', 'next line', () => this.go(moments.nextLine(this.moment, 1))],
      ['ArrowUp', 'line before', () => this.go(moments.nextLine(this.moment, -1))],
      ['PageDown', 'next barrier', () => this.go(moments.nextPhase(this.moment, 1))],
      ['PageUp', 'barrier before', () => this.go(moments.nextPhase(this.moment, -1))],
      ['Home', 'first moment', () => this.go(0)],
      ['End', 'last moment', () => this.go(moments.last)],
      ['f', 'next finding', () => this.go(moments.nextFinding(this.moment, 1))],
      ['F', 'finding before', () => this.go(moments.nextFinding(this.moment, -1))],
      ['d', 'next divergence', () => this.go(moments.nextDivergence(this.moment, 1))],
      ['D', 'divergence before', () => this.go(moments.nextDivergence(this.moment, -1))],
      ['w', 'next write of the chosen element', () => this.go(element((a, i) => moments.nextWrite(a, i, this.moment, 1)))],
      ['W', 'write before', () => this.go(element((a, i) => moments.nextWrite(a, i, this.moment, -1)))],
      ['o', 'next access to it by another thread', () => this.go(element((a, i) => moments.nextOther(a, i, this.thread, this.moment, 1)))],
      ['i', 'next instruction of this warp', () => this.go(moments.instructionOf(this.thread >> 5, this.moment, 1))],
      ['I', 'instruction of this warp before', () => this.go(moments.instructionOf(this.thread >> 5, this.moment, -1))],
      ['.', 'next thread', () => this.choose(Math.min(this.threads() - 1, this.thread + 1))],
      [',', 'thread before', () => this.choose(Math.max(0, this.thread - 1))],
      ['>', 'next warp', () => this.choose(Math.min(this.threads() - 1, this.thread + 32))],
      ['<', 'warp before', () => this.choose(Math.max(0, this.thread - 32))],
      [' ', 'play or pause', () => this.play()],
    ];
  }

  // The number of a thread in its block.
  threadAt([x, y, z]) { return x + this.head.block[0] * (y + this.head.block[1] * z); }

  threads() { return this.head.block[0] * this.head.block[1] * this.head.block[2]; }

  play() {
    this.playing = !this.playing;
    this.playButton.setAttribute('aria-pressed', String(Boolean(this.playing)));
    setText(this.playButton, this.playing ? 'pause' : 'play');
    const tick = () => {
      if (!this.playing) return;
      const next = this.moments.nextLine(this.moment, 1);
      if (next < 0) { this.play(); return; }
      this.go(next);
      this.timer = setTimeout(tick, 1000 / Number(this.speed.value));
    };
    clearTimeout(this.timer);
    if (this.playing) tick();
  }

  listen() {
    const keys = new Map(this.commands().map(([key, , act]) => [key, act]));
    addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      if (event.key === ' ' && event.target.tagName === 'BUTTON') return;
      const act = keys.get(event.key);
      if (!act) return;
      event.preventDefault();
      act();
    });
    addEventListener('hashchange', () => { this.readAddress(location.hash); this.show(); });
    document.querySelectorAll('[data-key]').forEach((button) => {
      const [, name] = this.commands().find(([key]) => key === button.dataset.key);
      button.title = `${name} (${button.dataset.key.replace('Arrow', '')})`;
      button.addEventListener('click', keys.get(button.dataset.key));
    });
    document.getElementById('keys').append(...this.commands().map(([key, name]) =>
      make('div', {}, make('kbd', {}, key === ' ' ? 'space' : key.replace('Arrow', '')), ` ${name}`)));
  }

  start() {
    const at = (id) => document.getElementById(id);
    this.said = at('story');
    this.where = at('where');
    this.speed = at('speed');
    this.playButton = at('play');
    this.readAddress(location.hash || (this.head.start ?? '#finding=1'));
    this.panels = [
      new FindingsPanel(at('findings'), this), new SourcePanel(at('source'), this), new LanesPanel(at('lanes'), this),
      new ArraysPanel(at('arrays'), this), new ElementPanel(at('element'), this), new VariablesPanel(at('variables'), this),
      new RegistersPanel(at('registers'), this), new CostPanel(at('cost'), this), new TouchedPanel(at('touched'), this),
      new Timeline(at('timeline'), this),
    ];
    this.listen();
    this.show();
    document.body.classList.add('ready');
  }
}

export async function open() {
  const head = JSON.parse(document.getElementById('head').textContent);
  const bytes = await unpack(document.getElementById('steps').textContent.trim());
  const player = new Player(new Recording(head, bytes));
  player.start();
  return player;
}
