// SPDX-License-Identifier: MIT
// page.js -- what every part of the page uses: elements, numbers, questions to the server.

export const $ = id => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

export function shape(name, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const number = value => value.toLocaleString('en-US');
export const size = bytes => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit < 4; unit++) bytes /= 1024;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
};

// A number that a double does not give back as it was written: it stays a number, with all its digits.
class Numeral {
  constructor(source) { this.source = source; }
  toString() { return this.source; }
  toJSON() { return JSON.rawJSON(this.source); }
}
const exact = (key, value, context) =>
  typeof value === 'number' && context && context.source !== String(value) ? new Numeral(context.source) : value;

// Whether a value is a list or an object of JSON.
export const isNested = value => typeof value === 'object' && value !== null && !(value instanceof Numeral);

// Signs that turn the direction of a text are dots, as on a terminal: otherwise it would read as another one.
export const visible = text => text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\u00b7');

// A value as text. Where it can be of any type, a string has quotes, so that "5" is not 5.
export function shown(value, type, indent) {
  const isQuoted = type === 'any' && typeof value === 'string';
  return visible(isNested(value) || isQuoted ? JSON.stringify(value, null, indent) : String(value));
}

// Links to what is shown, as data.
export function formsOf(path, parameters = {}) {
  const link = form => element('a', { href: `${path}.${form}?${new URLSearchParams(parameters)}`, download: form === 'csv' }, form.toUpperCase());
  return element('span', { class: 'forms' }, link('json'), ' ', link('csv'));
}

// Why nothing came: the page says it by itself, above what it shows, until there is an answer again.
export class Unanswered extends Error {}

export async function question(address, options) {
  try {
    const response = await fetch(address, options);
    $('gone').hidden = true;
    return response;
  } catch {
    $('gone').hidden = false;
    throw new Unanswered('the server does not answer');
  }
}

export async function ask(path, parameters = {}) {
  const address = `${path}?${new URLSearchParams(parameters)}`;
  const response = await question(address), text = await response.text();
  let answer;
  try { answer = JSON.parse(text, exact); } catch { answer = { error: `the server answered ${response.status}` }; }
  if (answer.error) throw new Error(answer.error);
  return answer;
}

export async function send(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await question(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (answer.error) throw new Error(answer.error);
  return answer;
}
