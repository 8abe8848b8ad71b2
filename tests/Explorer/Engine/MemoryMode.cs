namespace Raceway.Explorer.Engine;

/// <summary>How much the modelled memory reorders.</summary>
internal enum MemoryMode
{
    /// <summary>Every access takes effect at once. Races are still judged by release and acquire.</summary>
    Sequential,

    /// <summary>As x86: a store may wait in its thread's buffer while later loads go ahead.</summary>
    StoreBuffers,

    /// <summary>As ARM64 and the .NET memory model: a load may see an older store, unless an acquire or a fence forbids it.</summary>
    ReleaseAcquire,
}
