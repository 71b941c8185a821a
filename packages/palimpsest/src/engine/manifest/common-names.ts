/**
 * Names that a model can guess: they stand in unrelated code everywhere. They are not worth a place in a briefing, and
 * the recall measure leaves them out.
 */
export const COMMON_NAMES: ReadonlySet<string> = new Set(
  `console.log console.error console.warn JSON.stringify JSON.parse Object.keys Object.entries Object.values Object.assign
  Array.isArray Array.from Math.max Math.min Math.floor Math.round Promise.all Promise.resolve Number.isFinite Date.now
  process.env process.exit process.cwd process.argv path.join path.resolve path.dirname path.basename fs.readFileSync
  fs.writeFileSync fs.existsSync readFileSync writeFileSync existsSync mkdirSync readFile writeFile fileURLToPath import.meta
  import.meta.url module.exports addEventListener removeEventListener querySelector getElementById className innerHTML
  textContent preventDefault setTimeout clearTimeout setInterval clearInterval parseInt parseFloat isNaN toString valueOf
  hasOwnProperty indexOf lastIndexOf forEach findIndex toLowerCase toUpperCase startsWith endsWith replaceAll padStart padEnd
  charCodeAt localeCompare toISOString getTime useState useEffect useMemo useCallback useRef useContext beforeEach afterEach
  beforeAll afterAll toEqual toBeDefined toBeUndefined toHaveLength toHaveBeenCalled toHaveBeenCalledWith toContain toMatch
  toThrow toStrictEqual mockReturnValue TypeError RangeError SyntaxError ReferenceError TypeScript JavaScript GitHub
  fmt.Println fmt.Printf fmt.Sprintf fmt.Errorf fmt.Fprintf fmt.Fprintln os.Exit os.Stderr os.Stdout os.Args os.ReadFile
  os.WriteFile os.MkdirAll os.Getenv os.Stat os.Remove os.RemoveAll os.IsNotExist filepath.Join filepath.Dir filepath.Base
  filepath.Abs filepath.Rel strings.Contains strings.HasPrefix strings.HasSuffix strings.Split strings.Join strings.TrimSpace
  strings.Builder strings.Replace strings.ReplaceAll strings.TrimPrefix strings.TrimSuffix strings.ToLower errors.New errors.Is
  errors.As err.Error context.Context context.Background context.WithTimeout time.Now time.Duration time.Second time.Sleep
  time.Time json.Marshal json.Unmarshal sync.Mutex sync.WaitGroup testing.T t.Fatal t.Fatalf t.Error t.Errorf t.Run t.Helper
  t.TempDir t.Parallel exec.Command io.Reader io.Writer io.EOF bytes.Buffer sort.Slice strconv.Itoa strconv.Atoi regexp.MustCompile
  __init__ __name__ __main__ __file__ __str__ __repr__ isinstance os.path os.path.join os.environ os.makedirs sys.argv sys.exit
  sys.path sys.stderr json.loads json.dumps re.compile unittest.TestCase assertEqual assertTrue assertFalse assertRaises
  ValueError KeyError AttributeError ImportError RuntimeError IndexError FileNotFoundError NotImplementedError to_string
  unwrap_or unwrap_or_else unwrap_or_default into_iter as_str as_ref is_empty is_some is_none to_owned from_str HashMap
  BTreeMap HashSet PathBuf cfg_attr assert_eq map_err ok_or_else or_else and_then filter_map flat_map
  println eprintln stringify user_id file_path file_name created_at updated_at node_modules
  max_results output_mode file_type`.split(/\s+/),
)
