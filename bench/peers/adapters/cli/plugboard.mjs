/**
 * plugboard: the command, for the workloads of the harness about command lines (W1, W2, W3, W7).
 *
 * Servers stand in the user's own file, so every source is looked at, as in everyday use. `list (config only)` starts
 * nothing; it stands in W1, beside `node -e`, under the heading of `--version`.
 */
import { mcpServers } from '../../lib/cli.mjs'

const BIN = `${process.env.PLUGBOARD_CHECKOUT}/dist/bin.js`
const setup = (c, servers) => c.write(`${c.home}/.config/plugboard/mcp.json`, mcpServers(servers))
const run = (c, ...words) => ({ argv: [c.node, BIN, ...words] })
const call = (c, servers, { server, tool, text }) => run(c, 'call', server, tool, `text=${text}`)

const TEN = Array.from({ length: 10 }, (_, i) => ({
  name: `srv${i + 1}`,
  command: 'srv',
  args: ['--tools', '10'],
}))

export default [
  {
    id: 'plugboard',
    version: (c) => [c.node, BIN, '--version'],
    help: (c) => [c.node, BIN, '--help'],
    setup,
    list: (c) => run(c, 'list', '--check'),
    shown: (out, name) => new RegExp(`^ready +${name} +10 tools`, 'm').test(out),
    call,
    warm: { setup, start: (c) => run(c, 'serve', '--daemon'), call, stop: (c) => run(c, 'stop') },
    describe: [
      {
        label: 'tools',
        argv: (c) => [c.node, BIN, 'tools', '--wait'],
        note: 'names and first lines, of all servers',
      },
      {
        label: 'tools --schema',
        argv: (c) => [c.node, BIN, 'tools', '--wait', '--schema'],
        note: 'with what they take',
      },
    ],
  },
  {
    id: 'plugboard list (config only)',
    version(c) {
      setup(c, TEN)
      return [c.node, BIN, 'list']
    },
  },
]
