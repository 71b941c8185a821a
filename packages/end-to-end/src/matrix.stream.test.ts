import { describeMatrix } from './ways/matrix.test-data.ts'

describeMatrix('stream')
