export { DirectoryHistory } from './directory-history.ts'
