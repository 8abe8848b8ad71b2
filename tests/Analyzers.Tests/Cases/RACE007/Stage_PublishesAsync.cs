// wrong
await using Pipeline<int> next = Pipeline.Of<int>(16).Run();
SingleProducer<int> producer = next.CreateProducer();
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("on", (ref int item) => { producer.PublishAsync(item); }) // RACE007
    .Run();

// right
await using Pipeline<int> next = Pipeline.Of<int>(16).Run();
SingleProducer<int> producer = next.CreateProducer();
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("on", (ref int item) =>
    {
        producer.Publish(item);
        if (item < 0) next.HaltAsync();
    })
    .Run();
