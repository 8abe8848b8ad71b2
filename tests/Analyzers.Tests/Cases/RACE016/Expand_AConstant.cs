// wrong
const int Parts = 48;
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Expand<long>("parts", Parts, static (ref int item, Emitter<long> parts) => parts.Emit(item)) // RACE016
    .Stage("print", static (ref long part) => Console.WriteLine(part))
    .Run();

// right
const int Parts = 64;
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Expand<long>("parts", Parts, static (ref int item, Emitter<long> parts) => parts.Emit(item))
    .Stage("print", static (ref long part) => Console.WriteLine(part))
    .Run();
