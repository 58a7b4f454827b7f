/**
 * plugboard: the gateway (W5), on all three routes, at `/mcp`, where every server is. It always wants its token, which
 * the load generator gets through the environment; and a rule that allows the tool, as a user would have written.
 */
import { randomBytes } from 'node:crypto'
import { mcpServers } from '../../lib/cli.mjs'

const BIN = `${process.env.PLUGBOARD_CHECKOUT}/dist/bin.js`

export default {
  id: 'plugboard serve',
  routes: ['stdio', 'http', 'bridge'],
  start(c, upstream, port, route) {
    const config = `${c.home}/.config/plugboard`
    c.write(`${config}/mcp.json`, mcpServers([upstream]))
    c.write(`${config}/settings.json`, {
      permissions: { rules: [{ tool: `mcp__${upstream.name}__*`, action: 'allow' }] },
      // The harness repeats one call for ever, which is what the loop guard is there to stop.
      gateway: { loopLimit: 0 },
    })
    if (route === 'bridge') return { stdio: [c.node, BIN, 'serve', '--stdio'] }
    const token = randomBytes(32).toString('hex')
    c.write(`${c.home}/.local/state/plugboard/gateway-token`, `${token}\n`)
    process.env.PERF_TOKEN = token
    return {
      argv: [c.node, BIN, 'serve', '--http', String(port)],
      transport: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
    }
  },
}
