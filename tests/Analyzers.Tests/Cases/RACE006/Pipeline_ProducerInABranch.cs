// wrong
SingleProducer<int>? producer = null;
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Fork(
        one => one.Stage("again", (ref int item) => producer!.Publish(item)), // RACE006
        two => two.Stage("print", static (ref int item) => Console.WriteLine(item)))
    .Run();
producer = pipeline.CreateProducer();
producer.Publish(1);

// right
MultiProducer<int>? producer = null;
await using Pipeline<int> other = Pipeline.Of<int>(16).MultiProducer().Stage("print", static (ref int item) => Console.WriteLine(item)).Run();
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Fork(
        one => one.Stage("again", (ref int item) => producer!.Publish(item)),
        two => two.Stage("print", static (ref int item) => Console.WriteLine(item)))
    .Run();
producer = other.CreateMultiProducer();
producer.Publish(1);
