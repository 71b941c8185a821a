/**
 * Counts of a vitest JSON report. A test file that could not run counts as one failure; so does a run that failed
 * outside its tests (an unhandled error, no report, no tests at all).
 */
export function countTests(report, exitCode) {
  const passed = report?.numPassedTests ?? 0
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  const files = report?.testResults ?? []
  const brokenFiles = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(hasFailed)).length
  const failed = (report?.numFailedTests ?? 0) + brokenFiles
  const failedElsewhere = failed === 0 && (exitCode !== 0 || passed === 0)
  return { passed, failed: failedElsewhere ? 1 : failed, skipped }
}

function hasFailed(test) {
  return test.status === 'failed'
}
