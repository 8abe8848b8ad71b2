using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Errors of producers: rule, value, remedy. Those of claims are beside the protocols.</summary>
internal static class ProducerErrors
{
    public static ObjectDisposedException NotOpen() =>
        new(nameof(OpenProducer<>), "It was given back to its producer: publish by that, or open it again.");

    /// <summary>A commit by a handle that is behind the ring's cursor: a copy that was left behind, or one that was given back.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static InvalidOperationException NotCurrent(bool isOpen) => isOpen ? ClaimErrors.OpenCopied() : NotOpen();
}
