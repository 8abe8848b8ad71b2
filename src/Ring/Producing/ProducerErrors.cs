namespace Raceway.Rings;

/// <summary>Errors of producers: rule, value, remedy. Those of claims are beside the protocols.</summary>
internal static class ProducerErrors
{
    public static ObjectDisposedException NotOpen() =>
        new(nameof(OpenProducer<>), "It was given back to its producer: publish by that, or open it again.");
}
