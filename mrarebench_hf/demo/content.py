"""The words of the synthetic mini-benchmark: rare diseases that exist, patients and pictures that do not.

Every vignette is invented for this project and says so in its first line. No text here names the diagnosis
outside ``name`` and ``aliases``, so that a condition which withholds it really does.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CASES", "NOTICE", "DemoCase", "View"]

NOTICE = "Synthetic demonstration case; no real patient, not medical advice."


@dataclass(frozen=True, slots=True)
class View:
    """One picture of a case: how it is drawn, what it is called, what it shows in the large and in detail."""

    scene: str
    study: str
    macro: str
    micro: str


@dataclass(frozen=True, slots=True)
class DemoCase:
    """One invented case; ``synthesis`` says how its pictures fit together."""

    name: str
    aliases: tuple[str, ...]
    patient: str
    history: str
    tests: str
    views: tuple[View, ...]
    synthesis: str


CASES: tuple[DemoCase, ...] = (
    DemoCase(
        "Ménétrier's disease",
        ("Giant hypertrophic gastritis", "Hypoproteinemic hypertrophic gastropathy"),
        "52-year-old joiner",
        "had four months of epigastric pain, swollen ankles and a weight loss of 6 kg",
        "Serum albumin was 21 g/L without protein in the urine",
        (
            View("endoscopy", "Gastroscopy", "giant folds of the gastric body", "the antrum is spared"),
            View("micrograph", "Gastric biopsy", "deep and tortuous foveolae", "loss of parietal cells"),
        ),
        "Giant folds and foveolar overgrowth with few glands explain the loss of protein.",
    ),
    DemoCase(
        "Lymphangioleiomyomatosis",
        ("LAM", "Pulmonary lymphangiomyomatosis"),
        "34-year-old flute teacher",
        "was short of breath on stairs and had her second collapsed lung within a year",
        "Transfer factor was 48 % of predicted; she had never smoked",
        (
            View("ct", "Axial chest CT", "thin-walled cysts through both lungs", "no nodules between the cysts"),
            View("ct", "Axial abdominal CT", "a fatty mass in the left kidney", "large feeding vessels in the mass"),
            View("micrograph", "Lung biopsy", "bundles of spindle cells in cyst walls", "cells positive for HMB-45"),
        ),
        "Diffuse cysts of the lung and a fatty renal mass in a young woman share one cause.",
    ),
    DemoCase(
        "Erdheim–Chester disease",
        ("ECD", "Polyostotic sclerosing histiocytosis"),
        "58-year-old baker",
        "complained of aching knees on both sides and drank seven litres of water a day",
        "C-reactive protein was 44 mg/L; creatinine had risen over two years",
        (
            View("radiograph", "Radiograph of both knees", "even sclerosis of both distal femora", "epiphyses spared"),
            View("ct", "Axial abdominal CT", "a soft tissue rind around both kidneys", "the aorta is sheathed"),
            View("scan", "Bone scintigraphy", "strong uptake in the long bones of the legs", "uptake is symmetric"),
            View("micrograph", "Perirenal biopsy", "foamy histiocytes in fibrosis", "CD68 positive, CD1a negative"),
        ),
        "Symmetric bone sclerosis, a perirenal rind and foamy histiocytes belong together.",
    ),
    DemoCase(
        "Alkaptonuria",
        ("Homogentisate 1,2-dioxygenase deficiency", "Ochronosis, hereditary"),
        "46-year-old gardener",
        'had stiff hips and back for ten years and noticed "dark spots" in the eyes',
        "A urine sample left on the bench turned black overnight",
        (View("skin", "Photograph of the eye", "grey-brown scleral patches", "patches lie beside the limbus"),),
        "Pigment in the sclera and darkening urine point to one pathway.",
    ),
    DemoCase(
        "Takayasu arteritis",
        ("Pulseless disease", "TAK"),
        "27-year-old ferry pilot",
        "felt her left arm tire when hanging washing and had night sweats for weeks",
        "Blood pressure differed by 40 mmHg between the arms",
        (
            View("angiogram", "CT angiography of the arch", "a long narrow left subclavian artery", "wall thick"),
            View("scan", "FDG PET", "uptake along the wall of the aortic arch", "uptake is smooth and circular"),
        ),
        "Narrowed and glowing large arteries in a young woman mean inflammation of the wall.",
    ),
    DemoCase(
        "Pulmonary alveolar proteinosis",
        ("PAP", "Alveolar lipoproteinosis"),
        "41-year-old sandblaster",
        "had coughed for a year and brought up gummy white sputum",
        "Antibodies against GM-CSF were high",
        (
            View("ct", "Axial chest CT", "geographic ground-glass areas", "thickened septa: crazy paving"),
            View("micrograph", "Bronchoalveolar lavage", "milky granular material", "material is PAS positive"),
            View("radiograph", "Chest radiograph", "perihilar opacities on both sides", "apices and bases spared"),
        ),
        "Crazy paving and milky lavage fluid are two faces of filled alveoli.",
    ),
    DemoCase(
        "Susac's syndrome",
        ("SuS", "Retinocochleocerebral vasculopathy"),
        "31-year-old translator",
        "became forgetful within weeks, heard less on the right and saw a dark wedge on the left",
        "Cerebrospinal fluid held 0.9 g/L of protein and no oligoclonal bands",
        (
            View("mri", "Sagittal T2 brain MRI", "round lesions in the corpus callosum", "lesions sit in its centre"),
            View("fundus", "Fluorescein angiography", "occluded branch retinal artery", "the vessel wall leaks"),
        ),
        "Callosal snowballs and retinal branch occlusions complete the triad with hearing loss.",
    ),
    DemoCase(
        "Sjögren–Larsson syndrome",
        ("Fatty aldehyde dehydrogenase deficiency", "SLS"),
        "6-year-old boy",
        "had scaly itching skin since birth and walked late, on stiff legs",
        "Learning was slow; fatty alcohols in fibroblasts were raised",
        (
            View("skin", "Photograph of the trunk", "brown scales over the whole trunk", "scales deepest in the folds"),
            View("fundus", "Fundus photograph", "glistening white dots near the fovea", "dots are crystalline"),
            View("mri", "Axial T2 brain MRI", "bright periventricular white matter", "subcortical fibres spared"),
        ),
        "Scales, crystals of the macula and white matter change form one metabolic picture.",
    ),
    DemoCase(
        "Hereditary hemorrhagic telangiectasia",
        ("HHT", "Osler–Weber–Rendu disease", "Rendu–Osler disease"),
        "39-year-old bus driver",
        "bled from the nose twice a week since school, as her father did",
        "Haemoglobin was 82 g/L; oxygen saturation fell on standing up",
        (
            View("skin", "Photograph of the lips", "red points on lips and tongue", "points blanch on pressure"),
            View("ct", "Axial chest CT", "a round nodule in the right lower lobe", "feeding artery and draining vein"),
        ),
        "Mucosal red points and a pulmonary fistula explain bleeding and low oxygen.",
    ),
    DemoCase(
        "Fabry disease",
        ("Anderson–Fabry disease", "α-galactosidase A deficiency"),
        "29-year-old cyclist",
        "had burning hands and feet with every fever since childhood and hardly sweated",
        "Urine held 1.1 g of protein a day",
        (
            View("skin", "Photograph of the flank", "clusters of dark red papules", "papules are flat and dense"),
            View("mri", "Short-axis cardiac MRI", "thick left ventricular wall", "late enhancement inferolateral"),
            View("micrograph", "Renal biopsy", "foamy swollen podocytes", "lamellated bodies on electron microscopy"),
            View("fundus", "Slit lamp photograph", "whorled corneal opacity", "lines radiate from one point"),
        ),
        "Papules, whorled cornea, thick heart and foamy podocytes show storage in many organs.",
    ),
    DemoCase(
        "Wilson disease",
        ("Hepatolenticular degeneration", "Wilson's disease"),
        "19-year-old student",
        "had slurred speech and a flapping tremor, and her handwriting had become illegible",
        "Ceruloplasmin was 0.06 g/L",
        (
            View("fundus", "Slit lamp photograph", "a brown-green ring at the corneal edge", "widest above and below"),
            View("mri", "Axial T2 brain MRI", "bright putamina and midbrain", "red nuclei spared"),
        ),
        "A corneal ring and symmetric basal ganglia signal point to one metal.",
    ),
    DemoCase(
        "Whipple's disease",
        ("Intestinal lipodystrophy", "Tropheryma whipplei infection"),
        "55-year-old farmer",
        "had wandering joint pain for six years, then diarrhoea and a weight loss of 14 kg",
        "Ferritin was low and stool fat high",
        (View("micrograph", "Duodenal biopsy", "foamy macrophages fill the lamina propria", "granules PAS positive"),),
        "Macrophages stuffed with PAS positive granules after years of arthritis are telling.",
    ),
    DemoCase(
        "Tuberous sclerosis complex",
        ("Bourneville's disease", "TSC"),
        "3-year-old girl",
        "had seizures with sudden bowing since the fifth month of life",
        "Two pale leaf-shaped spots were seen under ultraviolet light",
        (
            View("mri", "Axial FLAIR brain MRI", "bright cortical patches", "small nodules line the ventricles"),
            View("skin", "Photograph of the face", "red papules across nose and cheeks", "upper lip spared"),
            View("ct", "Axial abdominal CT", "fatty nodules in both kidneys", "cysts beside the nodules"),
        ),
        "Cortical patches, facial papules and fatty renal nodules arise from one gene pair.",
    ),
    DemoCase(
        "Castleman disease, multicentric",
        ("Angiofollicular lymph node hyperplasia", "MCD"),
        "48-year-old plumber",
        "had fevers, drenching sweats and growing lumps in the neck and armpits",
        "Interleukin-6 was 60 ng/L and haemoglobin 91 g/L",
        (
            View("ct", "Coronal CT of the trunk", "enlarged nodes in several regions", "nodes enhance strongly"),
            View("micrograph", "Lymph node biopsy", "shrunken germinal centres", "vessels enter them like a lollipop"),
        ),
        "Nodes in many regions with shrunken, vessel-pierced follicles explain the fevers.",
    ),
)
