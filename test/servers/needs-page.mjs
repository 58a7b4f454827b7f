/**
 * needs-page: the tool `pay` wants a page to be opened first (error -32042), until `visit` says that somebody was there,
 * which is told with `notifications/elicitation/complete`. `--never`: no visit is enough.
 */
import { Fault, hasFlag, send, serve, text, TOOLS } from './speak.mjs'

const PAGE = {
  mode: 'url',
  url: 'https://pay.example.test/start?order=7',
  message: 'Please pay first.',
  elicitationId: 'order-7',
}

let isVisited = false
let asked = 0

serve({
  tools: [
    ...TOOLS,
    {
      name: 'pay',
      description: 'Answers `paid` and how often it was asked, once the page was visited.',
      inputSchema: { type: 'object' },
      call: () => {
        asked += 1
        if (!isVisited || hasFlag('never'))
          throw new Fault(-32042, 'URL elicitation required', { elicitations: [PAGE] })
        return text(`paid, asked ${asked} times`)
      },
    },
    {
      name: 'visit',
      description: 'What the browser would do.',
      inputSchema: { type: 'object' },
      call: () => {
        isVisited = true
        send({ method: 'notifications/elicitation/complete', params: { elicitationId: PAGE.elicitationId } })
        return text('visited')
      },
    },
  ],
})
