// wrong
await using var ring = new RingBuffer<int>(16);
ring.Start();
using SingleProducer<int> producer = ring.CreateProducer();
for (int i = 0; i < 10; i++) producer.Publish(i); // RACE008
Stage print = ring.Subscribe(static (ref int item) => Console.WriteLine(item));
Console.WriteLine(print.Lag);

// right
await using var ring = new RingBuffer<int>(16);
using SingleProducer<int> producer = ring.CreateProducer();
for (int i = 0; i < 10; i++) producer.Publish(i);
Stage print = ring.Subscribe(static (ref int item) => Console.WriteLine(item));
ring.Start();
Console.WriteLine(print.Lag);
