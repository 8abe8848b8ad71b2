namespace Raceway.Rings.Tests;

/// <summary>Tests of what the whole process does, such as what it allocates: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationGroup
{
    public const string Name = "allocation";
}
