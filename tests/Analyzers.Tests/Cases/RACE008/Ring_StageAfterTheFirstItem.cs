// wrong
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
await ring.StartAsync();
producer.Publish(1); // RACE008
ring.Subscribe(static (ref int item) => Console.WriteLine(item));

// right
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
ring.Subscribe(static (ref int item) => Console.WriteLine(item));
await ring.StartAsync();
producer.Publish(1);
