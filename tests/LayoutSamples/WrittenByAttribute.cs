namespace Raceway.LayoutSamples;

/// <summary>Found by its name alone: everybody may declare their own.</summary>
[AttributeUsage(AttributeTargets.Field | AttributeTargets.Struct | AttributeTargets.Class)]
public sealed class WrittenByAttribute(string thread) : Attribute
{
    public string Thread => thread;
}
