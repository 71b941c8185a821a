// Writes the API reference as a website, from the comments of everything that the packages export: `npm run reference`.
// Where it stands is told by `out` of typedoc.json. A comment that is missing or wrong is told, and nothing is written.
import { apiReference } from './documents/api-reference.mjs'

const { app, project, complaints } = await apiReference()
for (const complaint of complaints) console.error(complaint)
if (project === undefined || complaints.length > 0) process.exitCode = 1
else await app.generateOutputs(project)
