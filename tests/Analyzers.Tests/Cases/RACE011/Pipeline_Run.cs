// wrong
Pipeline<int> pipeline = Pipeline.Of<int>(16).Stage("print", static (ref int item) => Console.WriteLine(item)).Run(); // RACE011
SingleProducer<int> producer = pipeline.CreateProducer();
producer.Publish(1);
await Task.Delay(100);

// fixed
await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Stage("print", static (ref int item) => Console.WriteLine(item)).Run();
SingleProducer<int> producer = pipeline.CreateProducer();
producer.Publish(1);
await Task.Delay(100);
