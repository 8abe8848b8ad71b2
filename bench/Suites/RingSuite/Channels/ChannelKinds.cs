using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>The channels that are measured, with default options but for what the name says.</summary>
internal static class ChannelKinds
{
    /// <summary>As large as everyone's queue.</summary>
    public static Channel<T> Bounded<T>(int capacity) => Channel.CreateBounded<T>(capacity);

    /// <summary>Without a limit.</summary>
    public static Channel<T> Unbounded<T>(int capacity) => Channel.CreateUnbounded<T>();

    /// <summary>The runtime has a faster unbounded channel for one reader, when told so.</summary>
    public static Channel<T> UnboundedSingleReader<T>(int capacity) =>
        Channel.CreateUnbounded<T>(new UnboundedChannelOptions { SingleReader = true });

    /// <inheritdoc cref="Bounded{T}"/>
    public static Channel<long> Bounded() => Bounded<long>(RingShape.DefaultCapacity);

    /// <inheritdoc cref="Unbounded{T}"/>
    public static Channel<long> Unbounded() => Unbounded<long>(RingShape.DefaultCapacity);

    /// <inheritdoc cref="UnboundedSingleReader{T}"/>
    public static Channel<long> UnboundedSingleReader() => UnboundedSingleReader<long>(RingShape.DefaultCapacity);
}
