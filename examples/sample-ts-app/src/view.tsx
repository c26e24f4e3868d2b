interface Props {
  title: string;
  html: string;
}

// TODO use the component library
export function render(target: HTMLElement, { title, html }: Props): void {
  target.title = title;
  target.innerHTML = html;
}

export function Card({ title, html }: Props) {
  return <section title={title} dangerouslySetInnerHTML={{ __html: html }} />;
}
