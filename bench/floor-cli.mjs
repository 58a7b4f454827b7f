/**
 * floor-cli: the least that a command line could do.
 *
 *   node bench/floor-cli.mjs list <config.json>                a line for each server, once its tools are there
 *   node bench/floor-cli.mjs call <config.json> <server> <text>
 */
import { readFileSync } from 'node:fs'
import { openFloor } from './floor.mjs'

const [command, file, server, text] = process.argv.slice(2)
const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'))
if (command === 'list')
  await openFloor(mcpServers, (name, tools) => console.log(`ready ${name} ${tools.length} tools`))
else
  console.log(
    JSON.stringify(await (await openFloor({ [server]: mcpServers[server] })).get(server).call(text)),
  )
process.exit(0)
