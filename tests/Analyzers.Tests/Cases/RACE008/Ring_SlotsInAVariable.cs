// wrong
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
await ring.StartAsync();
producer.Publish(1); // RACE008
ring.Slots.Subscribe(static (ref int item) => Console.WriteLine(item));

// right
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
Slots<int> slots = ring.Slots;
slots.Subscribe(static (ref int item) => Console.WriteLine(item));
await ring.StartAsync();
producer.Publish(1);
ring.Subscribe(static (ref int item) => Console.WriteLine($"late: {item}"));
