using System.Text;
using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>Bytes of any length travel in pooled buffers that belong to the slots.</summary>
internal static class Payloads
{
    public static async Task RunAsync()
    {
        long bytes = 0;
        string last = "";
        await using Pipeline<Message> pipeline = Pipeline.Of<Message>(capacity: 256)
            .Configure(static options => options with { Payload = static (ref Message message) => ref message.Body })
            .Stage("count", (ref Message message) => bytes += message.Body.Length)
            .Stage("read", (ref Message message) => last = Encoding.UTF8.GetString(message.Body.Span))
            .Run();

        SingleProducer<Message> producer = pipeline.CreateProducer();
        for (int id = 1; id <= 1_000; id++)
            producer.PublishPayload(Encoding.UTF8.GetBytes($"message {id}"), id, static (ref message, number) => message.Id = number);

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine($"{bytes} bytes, the last one was '{last}'");
    }

    private struct Message
    {
        public int Id;
        public Payload Body;
    }
}
