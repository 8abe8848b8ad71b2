// wrong
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

Parallel.For(0, 100, i => producer.Publish(i)); // RACE003

// right
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

for (int i = 0; i < 100; i++) producer.Publish(i);
Parallel.For(0, 100, i => Console.WriteLine(i));
