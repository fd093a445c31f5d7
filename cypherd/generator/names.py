"""The pools that the generator draws from: common names, real cities, made-up companies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Country:
    """`weight` is its share of the people, `network` the first part of its addresses."""

    name: str
    weight: int
    network: int
    cities: tuple[str, ...]
    female: tuple[str, ...]
    male: tuple[str, ...]
    surnames: tuple[str, ...]


def _country(
    name: str, weight: int, network: int, cities: str, female: str, male: str, surnames: str
) -> Country:
    """Names are separated by commas."""
    parts = [tuple(text.split(", ")) for text in (cities, female, male, surnames)]
    return Country(name, weight, network, *parts)


COMPANY_WORDS = (
    "Air", "Bank", "Books", "Brewery", "Bridges", "Cars", "Cement", "Chemicals", "Coffee",
    "Energy", "Films", "Foods", "Furniture", "Glass", "Insurance", "Instruments", "Media",
    "Optics", "Paper", "Pharma", "Ports", "Press", "Rail", "Robotics", "Shipping", "Software",
    "Solar", "Steel", "Systems", "Telecom", "Textiles", "Tools", "Toys", "Travel", "Water",
)  # fmt: skip

COUNTRIES = (
    _country(
        "India",
        18,
        49,
        "Mumbai, Delhi, Bangalore, Chennai, Pune",
        "Priya, Anita, Sunita, Deepa, Kavita, Lakshmi, Meena, Neha, Pooja, Rani, Asha, Usha",
        "Raj, Amit, Sanjay, Rahul, Vijay, Anil, Arjun, Deepak, Ravi, Suresh, Kumar, Manoj",
        "Sharma, Singh, Kumar, Patel, Gupta, Reddy, Rao, Khan, Das, Nair, Mehta, Joshi, Iyer",
    ),
    _country(
        "China",
        18,
        27,
        "Beijing, Shanghai, Guangzhou, Chengdu, Wuhan",
        "Mei, Li, Fang, Xiu, Jing, Yan, Hui, Na, Min, Ying, Hong, Lan",
        "Wei, Jun, Lei, Yang, Yong, Jie, Tao, Ming, Chao, Bo, Peng, Hao",
        "Wang, Li, Zhang, Liu, Chen, Yang, Huang, Zhao, Wu, Zhou, Xu, Sun, Ma, Zhu",
    ),
    _country(
        "United States",
        12,
        23,
        "New York, Chicago, Houston, Seattle, Boston",
        "Mary, Jennifer, Linda, Susan, Karen, Lisa, Nancy, Sarah, Emily, Amanda, Laura, Julia",
        "John, James, Robert, Michael, David, William, Richard, Thomas, Mark, Paul, Kevin, Brian",
        "Smith, Johnson, Williams, Brown, Jones, Miller, Davis, Wilson, Moore, Taylor, Clark",
    ),
    _country(
        "Germany",
        7,
        46,
        "Berlin, Hamburg, Munich, Cologne, Leipzig",
        "Anna, Julia, Lena, Laura, Sabine, Petra, Monika, Katrin, Claudia, Heike, Ulrike",
        "Hans, Peter, Michael, Thomas, Andreas, Stefan, Jan, Karl, Markus, Jens, Uwe, Jürgen",
        "Müller, Schmidt, Schneider, Fischer, Weber, Meyer, Wagner, Becker, Schulz, Hoffmann",
    ),
    _country(
        "France",
        6,
        37,
        "Paris, Lyon, Marseille, Toulouse, Nantes",
        "Marie, Camille, Julie, Sophie, Claire, Isabelle, Chloé, Hélène, Nathalie, Élodie",
        "Jean, Pierre, Michel, Nicolas, Philippe, Antoine, Julien, Luc, François, Olivier",
        "Martin, Bernard, Dubois, Thomas, Robert, Petit, Durand, Leroy, Moreau, Lefèvre",
    ),
    _country(
        "Brazil",
        8,
        131,
        "São Paulo, Rio de Janeiro, Brasília, Salvador, Recife",
        "Ana, Maria, Juliana, Fernanda, Camila, Patrícia, Beatriz, Larissa, Aline, Letícia",
        "João, José, Carlos, Paulo, Pedro, Lucas, Marcos, Rafael, Felipe, Bruno, Gustavo",
        "Silva, Santos, Oliveira, Souza, Lima, Pereira, Ferreira, Costa, Almeida, Ribeiro",
    ),
    _country(
        "Japan",
        6,
        36,
        "Tokyo, Osaka, Kyoto, Nagoya, Sapporo",
        "Yuki, Sakura, Haruka, Yui, Aoi, Keiko, Naomi, Emi, Mai, Akiko, Tomoko, Rin",
        "Haruto, Ken, Hiroshi, Takashi, Kenji, Akira, Daiki, Yuto, Satoshi, Makoto, Jun",
        "Sato, Suzuki, Takahashi, Tanaka, Watanabe, Ito, Yamamoto, Nakamura, Kobayashi, Kato",
    ),
    _country(
        "Spain",
        5,
        31,
        "Madrid, Barcelona, Valencia, Seville, Bilbao",
        "María, Carmen, Ana, Laura, Cristina, Marta, Lucía, Elena, Pilar, Isabel, Paula",
        "José, Antonio, Manuel, Francisco, Javier, Carlos, Miguel, Pablo, Luis, Diego, Jorge",
        "García, González, Rodríguez, Fernández, López, Martínez, Sánchez, Pérez, Gómez, Ruiz",
    ),
    _country(
        "Nigeria",
        7,
        41,
        "Lagos, Abuja, Kano, Ibadan, Enugu",
        "Ngozi, Chioma, Amina, Aisha, Funke, Yetunde, Adaeze, Halima, Ifeoma, Bola",
        "Chinedu, Emeka, Musa, Ibrahim, Tunde, Segun, Ahmed, Obinna, Yusuf, Femi",
        "Okafor, Adeyemi, Bello, Eze, Musa, Okonkwo, Balogun, Abubakar, Nwosu, Lawal",
    ),
    _country(
        "Egypt",
        5,
        102,
        "Cairo, Alexandria, Giza, Luxor, Aswan",
        "Fatma, Mona, Nour, Salma, Heba, Yasmin, Dina, Rania, Amal, Mariam",
        "Mohamed, Ahmed, Mahmoud, Omar, Youssef, Khaled, Karim, Hassan, Tarek, Amr",
        "Hassan, Ali, Ibrahim, Mostafa, Mahmoud, Saleh, Farouk, Nasser, Fahmy, Soliman",
    ),
    _country(
        "Poland",
        4,
        77,
        "Warsaw, Kraków, Gdańsk, Wrocław, Poznań",
        "Anna, Katarzyna, Maria, Agnieszka, Zofia, Ewa, Magdalena, Joanna, Barbara, Hanna",
        "Jan, Piotr, Tomasz, Paweł, Michał, Marcin, Jakub, Adam, Marek, Łukasz",
        "Nowak, Kowalski, Wiśniewski, Wójcik, Kamiński, Lewandowski, Zieliński, Mazur",
    ),
    _country(
        "Mexico",
        4,
        187,
        "Mexico City, Guadalajara, Monterrey, Puebla, Mérida",
        "Guadalupe, María, Verónica, Alejandra, Gabriela, Sofía, Rosa, Daniela, Ximena",
        "José, Juan, Luis, Jesús, Alejandro, Fernando, Ricardo, Eduardo, Raúl, Sergio",
        "Hernández, García, Martínez, López, González, Ramírez, Torres, Flores, Cruz, Reyes",
    ),
)
