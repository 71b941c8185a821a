console.log('palimpsest')
