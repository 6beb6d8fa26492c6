import { expect, test } from 'vitest'
import { html } from '../../../../src/payments/api/start-page/html.ts'

test('html escapes every value that is not HTML itself', () => {
  const hostile = `<b a="1" c='2'>&`
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
    '<p title="&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;">&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;</p>',
  )
  expect(html`<ul>${['a', '<'].map((each) => html`<li>${each}</li>`)}</ul>${7}`.text).toBe(
    '<ul><li>a</li><li>&#60;</li></ul>7',
  )
})
