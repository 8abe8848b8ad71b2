// wrong
await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).MultiProducer(4).Stage("drop", static (ref long item) => item = 0).Run();
using MultiProducer<long> producer = pipeline.CreateMultiProducer();
await Task.WhenAll(Enumerable.Range(0, 4).Select(n => Task.Run(() => producer.Publish(n)))); // RACE003

// right
await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).MultiProducer(4).Stage("drop", static (ref long item) => item = 0).Run();
await Task.WhenAll(Enumerable.Range(0, 4).Select(n => Task.Run(() =>
{
    using MultiProducer<long> producer = pipeline.CreateMultiProducer();
    producer.Publish(n);
})));
