// Elements are made here, and never from text: what people type is not markup.
const svgNamespace = 'http://www.w3.org/2000/svg';

/** An element of HTML: `h('p', {class: 'hint'}, 'text', child)`. */
export const h = (name, properties, ...children) => filled(document.createElement(name), properties, children);

/** An element of SVG. */
export const s = (name, properties, ...children) =>
  filled(document.createElementNS(svgNamespace, name), properties, children);

function filled(element, properties, children) {
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : value);
  }
  return element;
}
