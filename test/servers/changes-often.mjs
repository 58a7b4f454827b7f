/**
 * changes-often: says every `--ms` (5) milliseconds that its tools changed, once the handshake is over; the tool `work` has
 * another description each time it is listed. Tool `stop`: says how often its tools were listed, and changes no more.
 */
import { numberFlag, send, serve, text, TOOLS } from './speak.mjs'

let listed = 0
let isStopped = false
const timer = setInterval(
  () => {
    if (listed > 0 && !isStopped) send({ method: 'notifications/tools/list_changed' })
  },
  numberFlag('ms', 5),
)
// The end of its input ends it.
timer.unref()

serve({
  tools: [
    ...TOOLS,
    {
      name: 'work',
      get description() {
        listed += 1
        return `Number ${listed}.`
      },
      inputSchema: { type: 'object' },
      call: () => text('done'),
    },
    {
      name: 'stop',
      inputSchema: { type: 'object' },
      call: () => {
        isStopped = true
        return text(String(listed))
      },
    },
  ],
  capabilities: { tools: { listChanged: true } },
})
