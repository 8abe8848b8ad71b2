// wrong
Pipeline<int> pipeline = null!;
pipeline = Pipeline.Of<int>(16)
    .Stage("count", (ref int item) => pipeline.Publisher.Publish(item - 1)) // RACE006
    .Stage("print", static (ref int item) => Console.WriteLine(item))
    .Run();
await pipeline.DisposeAsync();

// right
await using Pipeline<int> next = Pipeline.Of<int>(16).Stage("print", static (ref int item) => Console.WriteLine(item)).Run();
Pipeline<int> pipeline = null!;
pipeline = Pipeline.Of<int>(16)
    .Stage("count", (ref int item) => next.Publisher.Publish(item - 1))
    .Stage("print", static (ref int item) => Console.WriteLine(item))
    .Run();
await pipeline.DisposeAsync();
